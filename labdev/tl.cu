#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <vector>
#include <chrono>
extern "C" {
#include "ordo.h"
#include "ordo_machine.h"
}
static const char*kn(unsigned k){ static char b[16];
 switch(k){case ORDO_SPAN_IN:return "IN";case ORDO_SPAN_OUT:return "OUT";case ORDO_SPAN_WORK:return "GPU";case ORDO_SPAN_WAIT:return "wait";case ORDO_SPAN_PIECE:return "piece";case ORDO_SPAN_PHASE_I:return "phase I";case ORDO_SPAN_PHASE_II:return "phase II";case ORDO_SPAN_PHASE_III:return "phase III";case ORDO_SPAN_PHASE_IV:return "phase IV";case ORDO_SPAN_COMPUTE:return "compute";} snprintf(b,16,"k%u",k);return b;}
static void fill(uint32_t*k,uint32_t*v,size_t n,uint64_t s){for(size_t i=0;i<n;i++){s^=s<<13;s^=s>>7;s^=s<<17;k[i]=(uint32_t)(s>>20);v[i]=(uint32_t)i;}}
int main(int argc,char**argv){ size_t n=(size_t)1<<atoi(argv[1]); bool pairs=atoi(argv[2]); int show=atoi(argv[3]); uint32_t*k,*v,*k0,*v0; cudaMallocHost(&k,n*4);cudaMallocHost(&v,n*4);k0=(uint32_t*)malloc(n*4);v0=(uint32_t*)malloc(n*4);fill(k0,v0,n,88172645463325252ull);
 for(int a=4;a<argc;a++){ double share=atof(argv[a]); 
  for(int prof=0;prof<(show?2:1);prof++){
  ordo_ctx_opts o; memset(&o,0,sizeof o); o.struct_size=sizeof o; o.where=share<=0?ORDO_CUDA:ORDO_HYBRID; o.threads=16; o.cpu_share=share<=0?0:share; o.profile=prof;
  ordo_ctx*c; if(ordo_ctx_create(&c,&o)){printf("ctx: %s\n",ordo_last_error(NULL));return 1;}
  ordo_sort_opts so; memset(&so,0,sizeof so); so.struct_size=sizeof so; so.algorithm=ORDO_ALGORITHM_SAMPLE;
  std::vector<double> t; for(int r=0;r<(prof?2:5);r++){ memcpy(k,k0,n*4);memcpy(v,v0,n*4); auto b=std::chrono::steady_clock::now(); ordo_status s=pairs?ordo_sort_pairs(c,ORDO_U32,k,n,v,4,&so):ordo_sort(c,ORDO_U32,k,n,&so); double d=std::chrono::duration<double>(std::chrono::steady_clock::now()-b).count(); if(s){printf("%d %s\n",s,ordo_last_error(c));return 1;} if(r)t.push_back(d); 
    if(r==1&&!prof){ bool ok=true; for(size_t i=1;i<n&&ok;i++)ok=k[i-1]<k[i]||(k[i-1]==k[i]&&(!pairs||v[i-1]<v[i])); if(pairs)for(size_t i=0;i<n&&ok;i+=97)ok=k0[v[i]]==k[i]; if(!ok)printf("WRONG\n"); } }
  std::sort(t.begin(),t.end()); printf("n 2^%s %s share %.2f: %.2f ms%s\n",argv[1],pairs?"pairs":"keys",share,1e3*t[t.size()/2],prof?" profiled":"");
  if(prof){ std::vector<ordo_span> s(1<<16); size_t m=ordo_last_profile(c,s.data(),s.size()); m=std::min(m,s.size()); s.resize(m); std::sort(s.begin(),s.end(),[](const ordo_span&a,const ordo_span&b){return a.began<b.began;});
    // merge: print all except many pieces/waits; summarise pieces by lane
    for(auto&x:s) if(x.kind!=ORDO_SPAN_PIECE&&x.kind!=ORDO_SPAN_WAIT) printf("  %-9s %2u %8.3f %8.3f  %10.3f MB\n",kn(x.kind),x.lane,1e3*x.began,1e3*x.ended,1e-6*x.bytes); 
    else if((x.lane==0||x.lane==9)&&x.ended-x.began>3e-4) printf("  %-9s %2u %8.3f %8.3f  %10.3f MB\n",kn(x.kind),x.lane,1e3*x.began,1e3*x.ended,1e-6*x.bytes); }
  ordo_ctx_free(c);} }
}
