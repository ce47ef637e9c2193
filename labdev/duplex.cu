#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
#define C(x) do{cudaError_t e=(x);if(e){printf("%s %s\n",#x,cudaGetErrorString(e));return 1;}}while(0)
int main(){ size_t B=256<<20; char*h1,*h2,*d1,*d2; C(cudaMallocHost(&h1,B));C(cudaMallocHost(&h2,B));C(cudaMalloc(&d1,B));C(cudaMalloc(&d2,B));
 cudaStream_t s[20]; for(auto&x:s)C(cudaStreamCreateWithFlags(&x,cudaStreamNonBlocking)); cudaEvent_t e[8];for(auto&x:e)cudaEventCreate(&x);
 auto run=[&](const char*name,size_t ci,size_t co,bool in,bool out,int si,int so){ float best=1e9,bi=0,bo=0; for(int r=0;r<5;r++){ cudaDeviceSynchronize(); cudaEventRecord(e[0],s[si]); cudaStreamWaitEvent(s[so],e[0],0);
   if(in)for(size_t a=0;a<B;a+=ci)cudaMemcpyAsync(d1+a,h1+a,ci<B-a?ci:B-a,cudaMemcpyHostToDevice,s[si]); cudaEventRecord(e[1],s[si]);
   if(out)for(size_t a=0;a<B;a+=co)cudaMemcpyAsync(h2+a,d2+a,co<B-a?co:B-a,cudaMemcpyDeviceToHost,s[so]); cudaEventRecord(e[2],s[so]); cudaDeviceSynchronize();
   float ti,to;cudaEventElapsedTime(&ti,e[0],e[1]);cudaEventElapsedTime(&to,e[0],e[2]); float m=ti>to?ti:to; if(m<best){best=m;bi=ti;bo=to;} }
   printf("%-40s in done %.2f out done %.2f ms\n",name,bi,bo); return 0;};
 run("in alone",B,B,true,false,0,1); run("out alone",B,B,false,true,0,1);
 for(int so=1;so<20;so+=3){char n[64];snprintf(n,64,"both big, streams 0 and %d",so);run(n,B,B,true,true,0,so);}
 run("both 32M",32<<20,32<<20,true,true,0,1);run("both 4M",4<<20,4<<20,true,true,0,1);run("both 1M",1<<20,1<<20,true,true,0,1);run("in big, out 1M",B,1<<20,true,true,0,1);run("in 4M, out big",4<<20,B,true,true,0,1);
 // latency of a small out copy issued after a big in copy
 for(size_t ci: {B,(size_t)32<<20,(size_t)4<<20}){ cudaDeviceSynchronize(); cudaEventRecord(e[0],s[0]); for(size_t a=0;a<B;a+=ci)cudaMemcpyAsync(d1+a,h1+a,ci,cudaMemcpyHostToDevice,s[0]); cudaEventRecord(e[1],s[0]); cudaStreamWaitEvent(s[2],e[0],0); for(int k=0;k<4;k++)cudaMemcpyAsync(h2+(k<<20),d2+(k<<20),1<<20,cudaMemcpyDeviceToHost,s[2]); cudaEventRecord(e[2],s[2]); cudaDeviceSynchronize(); float ti,to;cudaEventElapsedTime(&ti,e[0],e[1]);cudaEventElapsedTime(&to,e[0],e[2]); printf("in chunks of %zu: in %.2f, small out done at %.2f ms\n",ci,ti,to);
  // small in copy on another stream
  cudaEventRecord(e[0],s[0]); for(size_t a=0;a<B;a+=ci)cudaMemcpyAsync(d1+a,h1+a,ci,cudaMemcpyHostToDevice,s[0]); cudaEventRecord(e[1],s[0]); cudaStreamWaitEvent(s[2],e[0],0); cudaMemcpyAsync(d2,h2,1<<20,cudaMemcpyHostToDevice,s[2]); cudaEventRecord(e[2],s[2]); cudaDeviceSynchronize(); cudaEventElapsedTime(&ti,e[0],e[1]);cudaEventElapsedTime(&to,e[0],e[2]); printf("   small in done at %.2f of %.2f\n",to,ti);}
 cudaDeviceProp p;cudaGetDeviceProperties(&p,0);printf("asyncEngineCount %d\n",p.asyncEngineCount); return 0;}
